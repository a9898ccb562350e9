import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
for await (const review of gatehouse.reviews.search({ status: "OPEN" })) {
  console.log(review.requestId);
}
