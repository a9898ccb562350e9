"""The models that Sentry scores with: trained, promoted, rolled back."""
