// Cards and addresses that mean something in the sandbox, for tests of your own.

/** A card as every operation takes it. */
export interface SandboxCard {
  readonly cardNumber: string;
  readonly cardExpiryDate: string;
  readonly cardCvv2Value: string;
}

function card(cardNumber: string, cardCvv2Value = "123"): SandboxCard {
  return { cardNumber, cardExpiryDate: "2035-12", cardCvv2Value };
}

/** Test cards by what happens to them. */
export const sandboxCards = {
  /** Accepted; held by Amelia Jane Whitfield. */
  accepted: card("4242424242424242"),
  /** Accepted, of another brand. */
  acceptedMastercard: card("5555555555554444"),
  acceptedAmex: card("378282246310005", "1234"),
  declined: card("4000000000000002"),
  insufficientFunds: card("4000000000009995"),
  /** The issuer asks to try again later. */
  retry: card("4000000000000119"),
  stolen: card("4000000000009979"),
  lost: card("4000000000009987"),
  suspectedFraud: card("4100000000000019"),
  expiredAtIssuer: card("4000000000000069"),
  unknownNumber: card("4242424242424259"),
  addressMismatch: card("4000000000000010"),
  onlyPostalCodeMatches: card("4000000000000028"),
  onlyStreetMatches: card("4000000000000036"),
  addressUnverifiable: card("4000000000000044"),
  wrongSecurityCode: card("4000000000000101"),
  /** Issuer and identity source stay silent until the server's time limit. */
  silent: card("4000000000000127"),
  /** Accepted by the issuer, then declined by the payment gateway. */
  declinedByGateway: card("4000000000000341"),
  /** Accepted by the issuer, then the payment gateway stays silent. */
  silentGateway: card("4000000000000259"),
} as const;

/** Addresses of visitors by what Sentry knows about them. */
export const sandboxAddresses = {
  home: "203.0.113.1",
  hosting: "198.51.100.1",
  torExit: "192.0.2.1",
} as const;
