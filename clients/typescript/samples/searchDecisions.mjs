import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
for await (const decision of gatehouse.decisions.search({ operation: "pipeline" })) {
  console.log(decision.requestId, decision.at);
}
