// Compiled, never run: a program that loads the package by `require` has its types, too.

import { Gatehouse, type PreCheckResponse } from "gatehouse-client";

export async function checked(shop: Gatehouse): Promise<PreCheckResponse> {
  return (await shop.precheck({ cardNumber: "1", cardExpiryDate: "2035-12" })).result;
}
