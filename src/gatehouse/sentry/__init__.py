"""Sentry: turns device, session, account, order and cart into an explained confidence."""
