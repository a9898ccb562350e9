import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.reviews.resolve(process.env.REQUEST_ID, {
  resolution: "APPROVE",
  reason: "Known customer, confirmed by phone",
});
console.log(result.status);
