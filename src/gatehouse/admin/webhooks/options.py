"""What an operator's settings say about webhooks."""

from gatehouse.connectors.webhook_sender import HttpWebhookSender
from gatehouse.settings import Settings
from gatehouse.webhooks.destinations import DestinationPolicy


def destination_policy(settings: Settings) -> DestinationPolicy:
    """Where webhooks may be sent."""
    return DestinationPolicy(
        ports=settings.webhook_ports,
        networks=settings.webhook_networks,
        hosts=settings.webhook_hosts,
        allows_loopback=not settings.is_production,
    )


def webhook_sender(settings: Settings) -> HttpWebhookSender:
    """Who sends them."""
    return HttpWebhookSender(
        destination_policy(settings),
        ca_file=settings.webhook_ca_file or None,
        proxy=settings.webhook_proxy,
    )
