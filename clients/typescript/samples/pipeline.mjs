import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.pipeline({
  pipelineId: 1,
  rulesRequest: { customerIp: "203.0.113.1" },
  preCheckRequest: { cardNumber: "4242424242424242", cardExpiryDate: "2035-12" },
  gatewayRequest: { amount: 59.9, currency: "USD" },
});
console.log(result.decision);
