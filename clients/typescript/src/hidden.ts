// Values that no log, no JSON and no inspector shows.

const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const MASK = "[hidden]";
const CARD_DIGITS = /(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)/g;
const CREDENTIAL = /^(?:gh_(?:sandbox|live)_|whsec_|whsk_)/;

/** A text that can be sent to Gatehouse and is shown nowhere; `hide` makes one. */
export class Hidden {
  readonly #text: string;

  constructor(text: string) {
    if (typeof text !== "string") throw new TypeError("what is to be hidden is no text; is it set?");
    this.#text = text;
  }

  /** The text itself. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [INSPECT](): string {
    return MASK;
  }
}

/** Wraps a card number or a security code, so that a request that is logged does not show it. */
export function hide(text: string): Hidden {
  return new Hidden(text);
}

/** A request as it is sent: what is hidden in it is revealed. */
export function encode(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    const original = this[name];
    return original instanceof Hidden ? original.reveal() : value;
  });
}

/** An answer as it was received. API keys and secrets in it can be read, but are not enumerated. */
export function decode(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === "string" && CREDENTIAL.test(inner)) {
        Object.defineProperty(value, name, { enumerable: false });
      }
    }
    return value;
  });
}

/** A text in which anything that may be a card number is replaced. */
export function withoutCards(text: string): string {
  return text.replace(CARD_DIGITS, MASK);
}
