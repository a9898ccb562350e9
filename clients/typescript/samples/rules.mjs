import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.rules({ customerIp: "203.0.113.1", amount: 59.9 });
console.log(result.status, result.matchedRules);
