"""Variables that are no setting: what is said about them, and when a server does not start."""

from pathlib import Path

import pytest

from gatehouse.core.errors import SettingsError
from gatehouse.settings.preflight import UnknownVariable, refuse_unfit_production, unknown_variables
from gatehouse.settings.settings import InvalidSetting, changed_settings, load_settings
from tests.harness import Home

PRODUCTION = {
    "GATEHOUSE_ENVIRONMENT": "production",
    "GATEHOUSE_SECRET_KEY": "gT0cZ1v8mQXr4yJkWb6nPq2sLd9fHa3eUiV7oRxYtCw",
    "GATEHOUSE_ISSUER": "shop:issuer",
    "GATEHOUSE_GATEWAY": "none",
    "GATEHOUSE_IDENTITIES": "records",
    "GATEHOUSE_TRUSTED_PROXIES": "10.0.0.0/24",
}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("GATEHOUSE_TRUSTED_PROXYS", "GATEHOUSE_TRUSTED_PROXIES"),
        ("GATEHOUSE_LOGLEVEL", "GATEHOUSE_LOG_LEVEL"),
        ("GATEHOUSE_RATE_LIMIT", "GATEHOUSE_RATE_LIMIT_PER_SECOND"),
        ("GATEHOSE_PORT", "GATEHOUSE_PORT"),
        ("gatehouse_port", "GATEHOUSE_PORT"),
        ("GATEHOUSE_COLOUR", None),
        # Kubernetes adds these to every process beside a service of that name.
        ("GATEHOUSE_SERVICE_HOST", None),
        ("GATEHOUSE_SERVICE_PORT", None),
        ("GATEHOUSE_PORT_8080_TCP_ADDR", None),
    ],
)
def test_a_variable_that_is_no_setting_is_named_with_what_was_meant(
    given: str, meant: str | None
) -> None:
    assert unknown_variables({given: "1"}) == [UnknownVariable(given, meant)]


def test_variables_of_others_are_not_mentioned() -> None:
    assert (
        unknown_variables({"PATH": "/bin", "GATEWAY_INTERFACE": "1", "GREENHOUSE_PORT": "1"}) == []
    )


def test_lines_of_the_file_are_looked_at_as_well(tmp_path: Path) -> None:
    file = tmp_path / "settings"
    file.write_text("GATEHOUSE_HOSTS=10.0.0.1\nPROCESSOR_URL=http://10.0.0.2\n")
    [found] = unknown_variables({"GATEHOUSE_ENV_FILE": str(file)})
    assert str(found) == (
        "GATEHOUSE_HOSTS is not a setting of this version; did you mean GATEHOUSE_HOST?"
    )


def test_production_does_not_start_with_a_misspelt_setting() -> None:
    settings = load_settings(PRODUCTION)
    refuse_unfit_production(settings, unknown_variables(PRODUCTION | {"GATEHOUSE_COLOUR": "red"}))
    misspelt = unknown_variables(PRODUCTION | {"GATEHOUSE_METRIC_PORT": "9100"})
    with pytest.raises(SettingsError, match="did you mean GATEHOUSE_METRICS_PORT"):
        refuse_unfit_production(settings, misspelt)


def test_a_command_warns_of_a_misspelt_setting_and_goes_on(sqlite_home: Home) -> None:
    done = sqlite_home.ok("accounts", "list", "--json", GATEHOUSE_METRIC_PORT="9100")
    assert done.json == []
    assert done.err == (
        "gatehouse: warning: GATEHOUSE_METRIC_PORT is not a setting of this version; "
        "did you mean GATEHOUSE_METRICS_PORT?\n"
    )


def test_doctor_asks_to_correct_a_misspelt_setting_and_only_mentions_others(
    sqlite_home: Home,
) -> None:
    done = sqlite_home.run("doctor", GATEHOUSE_METRIC_PORT="9100", GATEHOUSE_COLOUR="red")
    assert "OPEN  settings: GATEHOUSE_METRIC_PORT is not a setting" in done.out
    assert "hint  settings: GATEHOUSE_COLOUR is not a setting" in done.out


def test_the_settings_that_were_changed_are_known_by_name_alone() -> None:
    assert changed_settings(load_settings(PRODUCTION)) == [
        "GATEHOUSE_ENVIRONMENT",
        "GATEHOUSE_SECRET_KEY",
        "GATEHOUSE_TRUSTED_PROXIES",
        "GATEHOUSE_ISSUER",
        "GATEHOUSE_IDENTITIES",
        "GATEHOUSE_GATEWAY",
    ]


def test_a_server_drains_in_production_unless_told_otherwise() -> None:
    assert load_settings({}).effective_drain_s == 0
    assert load_settings(PRODUCTION).effective_drain_s == 5
    assert load_settings(PRODUCTION | {"GATEHOUSE_DRAIN_S": "0"}).effective_drain_s == 0


@pytest.mark.parametrize(
    "url", ["redis://:s3cret@host:6379/0", "rediss://h", "valkey://h", "unix:///run/valkey.sock"]
)
def test_a_shared_memory_is_named_by_its_url(url: str) -> None:
    settings = load_settings({"GATEHOUSE_MEMORY_URL": url})
    assert settings.memory_url == url
    assert url not in repr(settings)


@pytest.mark.parametrize("url", ["memory:s3cret@host", "http://:s3cret@host", "redis://"])
def test_a_url_of_no_memory_is_refused_without_telling_its_password(url: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        load_settings({"GATEHOUSE_MEMORY_URL": url})
    assert "GATEHOUSE_MEMORY_URL" in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_the_memory_gives_up_before_sentry_does() -> None:
    given = {"GATEHOUSE_MEMORY_URL": "redis://h", "GATEHOUSE_MEMORY_TIMEOUT_MS": "1000"}
    with pytest.raises(InvalidSetting, match="shorter than GATEHOUSE_SENTRY_TIMEOUT_MS"):
        load_settings(given)


@pytest.mark.parametrize(
    "url", ["console.example.com", "ftp://h", "https://h/path", "https://me@h", "https://h?x=1"]
)
def test_the_address_of_the_console_is_one_without_a_path(url: str) -> None:
    with pytest.raises(InvalidSetting, match="GATEHOUSE_CONSOLE_URL takes URL without a path"):
        load_settings({"GATEHOUSE_CONSOLE_URL": url})


def test_the_console_is_where_it_listens_unless_an_address_is_given() -> None:
    assert load_settings({}).effective_console_url == "http://127.0.0.1:8081"
    given = load_settings({"GATEHOUSE_CONSOLE_URL": "https://Console.example.com/"})
    assert given.effective_console_url == "https://console.example.com"
    own = load_settings({"GATEHOUSE_CONSOLE_HOST": "::1", "GATEHOUSE_TLS_CERT_FILE": "a.pem"})
    assert own.effective_console_url == "https://[::1]:8081"
