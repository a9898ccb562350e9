import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.reviews.assign(process.env.REQUEST_ID, { assignee: "amelia" });
console.log(result.assignee);
