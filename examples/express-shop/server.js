// Starts the shop: API_KEY, BASE, WEBHOOK_SECRET and PORT come from the environment.

import { Gatehouse } from "gatehouse-client";
import { makeShop } from "./shop.js";

const { API_KEY, BASE = "http://127.0.0.1:8080", WEBHOOK_SECRET = "", PORT = "3000" } = process.env;
const shop = makeShop(new Gatehouse({ apiKey: API_KEY, baseUrl: BASE }), WEBHOOK_SECRET);
const server = shop.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`the shop is open on http://127.0.0.1:${server.address().port}`);
});
