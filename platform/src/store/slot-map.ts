import type { Cluster, Redis } from 'ioredis';

const apartMs = 100;
const againMsMin = 250;
const againMsMax = 2000;
const againGrowth = 1.25;

/**
 * Which server of a cluster has which slots. A server that redirects tells it by itself; one that is
 * dead does not, so the others are asked as soon as one is lost, and until its slots have an owner.
 */
export class SlotMap {
  #cluster: Cluster | null = null;
  #timer: NodeJS.Timeout | null = null;
  #askedMs = -Infinity;
  #againMs = againMsMin;
  #primaries = '';

  follow(cluster: Cluster): void {
    this.#cluster = cluster;
    cluster.on('refresh', () => this.#compare(cluster));
    cluster.on('ready', () => {
      for (const server of cluster.nodes('master')) connectNow(server);
    });
    cluster.on('+node', (server: Redis) => this.#add(cluster, server));
    cluster.on('close', () => this.#rest());
  }

  /** Once for all who ask at the same time, and not too often. */
  ask(): void {
    this.#askIn(Math.max(0, this.#askedMs + apartMs - performance.now()));
  }

  #add(cluster: Cluster, server: Redis): void {
    let wasReady = false;
    server.on('ready', () => {
      wasReady = true;
      cluster.emit('server back');
    });
    server.on('close', () => {
      if (!wasReady) return;
      wasReady = false;
      this.ask();
      cluster.emit('server lost');
    });
    // Else its first command would wait until it is connected, however long that takes.
    if (cluster.status === 'ready' && server.options.readOnly !== true) connectNow(server);
  }

  #askIn(ms: number): void {
    if (this.#timer || this.#cluster?.status !== 'ready') return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#askNow();
    }, ms);
    this.#timer.unref();
  }

  #askNow(): void {
    const cluster = this.#cluster;
    if (cluster?.status !== 'ready') return;
    this.#askedMs = performance.now();
    cluster.refreshSlotsCache((error) => {
      if (cluster.status !== 'ready') return;
      // Nobody whom we know answers: the names in the setting may lead elsewhere by now.
      if (error) cluster.disconnect(true);
      else this.#askAgain(cluster);
    });
  }

  /** Less and less often: a cluster that can't replace a primary has enough to do. */
  #askAgain(cluster: Cluster): void {
    const isComplete = cluster.nodes('master').every(({ status }) => status === 'ready');
    if (!isComplete) this.#askIn(this.#againMs);
    this.#againMs = isComplete ? againMsMin : Math.min(this.#againMs * againGrowth, againMsMax);
  }

  /** Slots that another server has now may be as they were some time ago. */
  #compare(cluster: Cluster): void {
    const primaries = cluster
      .nodes('master')
      .map(({ options: { host, port } }) => `${host}:${port}`)
      .toSorted()
      .join();
    const isOther = this.#primaries !== '' && this.#primaries !== primaries;
    this.#primaries = primaries;
    if (!isOther) return;
    cluster.emit('server lost');
    cluster.emit('server back');
  }

  #rest(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function connectNow(server: Redis): void {
  if (server.status === 'wait') server.connect().catch(() => {});
}
