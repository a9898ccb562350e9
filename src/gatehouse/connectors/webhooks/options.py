"""What an operator's settings say about webhooks."""

import msgspec

from gatehouse.connectors.webhooks.destinations import DestinationPolicy
from gatehouse.connectors.webhooks.sender import HttpWebhookSender
from gatehouse.settings.settings import Settings


class WebhookOptions(msgspec.Struct, frozen=True):
    """Where webhooks may be sent, and how."""

    policy: DestinationPolicy = DestinationPolicy()
    ca_file: str | None = None
    proxy: tuple[str, int] | None = None

    def sender(self) -> HttpWebhookSender:
        """Who sends them."""
        return HttpWebhookSender(self.policy, ca_file=self.ca_file, proxy=self.proxy)

    def ready_sender(self) -> HttpWebhookSender:
        """One that has read the certificates that it trusts, which takes a while."""
        made = self.sender()
        made.prepare()
        return made


def webhook_options(settings: Settings) -> WebhookOptions:
    """The options of these settings; only the sandbox sends to its own machine."""
    policy = DestinationPolicy(
        ports=settings.webhook_ports,
        networks=settings.webhook_networks,
        hosts=settings.webhook_hosts,
        allows_loopback=not settings.is_production,
    )
    return WebhookOptions(policy, settings.webhook_ca_file or None, settings.webhook_proxy)
