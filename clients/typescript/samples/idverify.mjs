import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.idVerify({
  cardNumber: "4242424242424242",
  cardExpiryDate: "2035-12",
  cardHolderName: { firstName: "Amelia", lastName: "Whitfield" },
  cardHolderEmailAddress: "amelia.whitfield@example.com",
});
console.log(result);
