import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.feedback.give({
  requestId: process.env.REQUEST_ID,
  label: "CHARGEBACK",
});
console.log(result);
