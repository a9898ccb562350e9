// What groups of methods are made of.

import type { Send } from "./caller.js";
import { JobFailed, JobUnfinished } from "./errors.js";
import { sleep, type Answer } from "./exchange.js";
import type { JobResponse } from "./generated.js";
import type { CallOptions } from "./options.js";

/** A group of methods that call one server. */
export class Calls {
  protected readonly send: Send;

  constructor(send: Send) {
    this.send = send;
  }
}

/** How to wait for a job. */
export interface WaitOptions extends CallOptions {
  /** How long to wait, in milliseconds; 600,000 without it. */
  readonly patienceMs?: number | undefined;
  /** Told of the job each time that it was looked at: `done`, `total`, `step`. */
  readonly onProgress?: ((job: JobResponse) => unknown) | undefined;
}

const PATIENCE_MS = 600_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** What the calls about jobs have beside them. */
export class JobCalls extends Calls {
  /**
   * Waits until a job has succeeded.
   *
   * Throws `JobFailed` when it failed or was canceled, and `JobUnfinished` when it takes longer
   * than the patience; it then goes on.
   */
  async wait(jobId: string, own: WaitOptions = {}): Promise<Answer<JobResponse>> {
    const endsAt = Date.now() + (own.patienceMs ?? PATIENCE_MS);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      const answer = await this.send<JobResponse>("getJob", { path: { jobId } }, own);
      const job = answer.result;
      own.onProgress?.(job);
      if (job.state === "SUCCEEDED") return answer;
      if (job.state !== "QUEUED" && job.state !== "RUNNING") throw new JobFailed(job);
      const leftMs = endsAt - Date.now();
      if (leftMs <= 0) throw new JobUnfinished(job);
      await sleep(Math.min(pauseMs, leftMs), own.signal);
    }
  }
}
