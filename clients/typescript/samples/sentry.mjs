import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.sentry({
  device: { ipAddress: "203.0.113.1" },
  customInputs: { plan: "gold" },
});
console.log(result.requestConfidence, result.reasons);
