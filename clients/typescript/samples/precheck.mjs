import { Gatehouse } from "gatehouse-client";

const gatehouse = new Gatehouse({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE });
const { result } = await gatehouse.precheck({
  cardNumber: "4242424242424242",
  cardExpiryDate: "2035-12",
  cardCvv2Value: "123",
  cardAddress: { street: "1 Market Street", postalCode: "94105" },
});
console.log(result.advice, result.avsResult);
