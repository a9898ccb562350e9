import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.events.get(process.env.EVENT_ID);
console.log(result.type, result.data);
