import type { Job, JobResult, Target } from './jobs.ts';
import { RacingProcess } from './racing-process.ts';

/** Real processes, each with a connection of its own: what shares nothing but the server. */
export class Processes {
  readonly #members: RacingProcess[];

  private constructor(members: RacingProcess[]) {
    this.#members = members;
  }

  static async start(count: number): Promise<Processes> {
    const started = await Promise.allSettled(
      Array.from({ length: count }, () => RacingProcess.start()),
    );
    const processes = new Processes(
      started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    );
    const failed = started.find((one) => one.status === 'rejected');
    if (!failed) return processes;
    await processes.stop();
    throw failed.reason;
  }

  /** Every process does the job, all from the same instant; the results in the order of seeds. */
  async run<J extends Job>(
    target: Target,
    job: J,
    { timeoutMs }: { readonly timeoutMs: number },
  ): Promise<JobResult<J>[]> {
    await Promise.all(this.#members.map((member, seed) => member.prepare(target, job, seed)));
    return Promise.all(this.#members.map((member) => member.go<J>(timeoutMs)));
  }

  at(index: number): RacingProcess {
    const member = this.#members[index];
    if (!member) throw new Error(`there is no process ${index}`);
    return member;
  }

  /** Another process in the place of one that was ended. */
  async replace(index: number): Promise<RacingProcess> {
    await this.at(index).kill();
    const member = await RacingProcess.start();
    this.#members[index] = member;
    return member;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.kill()));
  }
}
