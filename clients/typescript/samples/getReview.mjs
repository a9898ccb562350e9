import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.reviews.get(process.env.REQUEST_ID);
console.log(result.summary);
