// Lists that are longer than a page.

import type { Answer } from "./exchange.js";

/** How a list is read. */
export interface Paging<Page, Item> {
  /** Asks for the first page, or for the one after another. */
  readonly ask: (after: Page | null) => Promise<Answer<Page>>;
  readonly hasMore: (page: Page) => boolean;
  readonly items: (page: Page) => readonly Item[];
}

/** A list of any length: `for await` gives its items, `pages()` the answers they came in. */
export class Listing<Page, Item> implements AsyncIterable<Item> {
  readonly #paging: Paging<Page, Item>;

  constructor(paging: Paging<Page, Item>) {
    this.#paging = paging;
  }

  /** The first page alone. */
  first(): Promise<Answer<Page>> {
    return this.#paging.ask(null);
  }

  /** The answers, page by page, each with its request id and the remaining balance. */
  async *pages(): AsyncGenerator<Answer<Page>, void, undefined> {
    for (let answer = await this.first(); ; answer = await this.#paging.ask(answer.result)) {
      yield answer;
      if (!this.#paging.hasMore(answer.result)) return;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#paging.items(page.result);
  }

  /** At most so many items as an array. */
  async take(most: number): Promise<Item[]> {
    const found: Item[] = [];
    if (most <= 0) return found;
    for await (const item of this) {
      found.push(item);
      if (found.length >= most) break;
    }
    return found;
  }
}
