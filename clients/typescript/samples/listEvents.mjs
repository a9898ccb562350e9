import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
for await (const page of gatehouse.events.list({ types: ["feedback.received"] }).pages()) {
  for (const event of page.result.events) console.log(event.type, event.data);
  // Keep the cursor; `after` goes on from there.
  console.log(page.result.cursor);
}
