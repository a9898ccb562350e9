// Starts the shop: the client's key and address, WEBHOOK_SECRET, TRUST_PROXY and PORT come from the
// environment.

import { Gatehouse } from "gatehouse-client";
import { makeShop } from "./shop.js";

const { WEBHOOK_SECRET = "", TRUST_PROXY = "", PORT = "3000" } = process.env;
const shop = makeShop(Gatehouse.fromEnv(), WEBHOOK_SECRET, TRUST_PROXY || false);
shop.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`the shop is open on http://127.0.0.1:${PORT}`);
});
