import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.reviews.correct(process.env.REQUEST_ID, {
  resolution: "DECLINE",
  reason: "Charged back",
});
console.log(result.status);
