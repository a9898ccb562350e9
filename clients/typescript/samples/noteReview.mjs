import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
await gatehouse.reviews.note(process.env.REQUEST_ID, { text: "Called the customer." });
