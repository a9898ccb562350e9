// Types of gatehouse-collector.js, which sets the global `GatehouseCollector`.

interface GatehouseCollected {
  device: {
    deviceId?: string;
    sessionId?: string;
    /** Seconds. */
    sessionAge?: number;
    acceptLanguage?: string;
  };
  customInputs: { timezone?: string; screen?: string; deviceTraits?: string };
}

interface GatehouseCollectorOptions {
  /** Whether the visitor has agreed. Until then nothing is read or stored. */
  consent?: boolean;
  /** Also derive a hash of coarse traits. Off by default: see docs/collector.md for the law. */
  fingerprint?: boolean;
  /** Treat Global Privacy Control and Do Not Track as a refusal; true by default. */
  honourPrivacySignals?: boolean;
  /** After so many days a device gets a new identifier; 390 by default and at most. */
  maxAgeDays?: number;
  /** The key of localStorage; "gatehouse" by default. */
  storageKey?: string;
}

interface GatehouseDeviceCollector {
  /** The fields for Sentry's request; both groups are empty without consent. */
  collect(): GatehouseCollected;
  /** Put the same into a hidden field of a form; its name is "gatehouse" by default. */
  fill(form: HTMLFormElement, name?: string): void;
  /** What the visitor chose; withdrawing deletes all that was stored. */
  setConsent(granted: boolean): void;
}

declare const GatehouseCollector: {
  create(options?: GatehouseCollectorOptions): GatehouseDeviceCollector;
};
