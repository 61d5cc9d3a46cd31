import type { ManagedProcess } from './managed-process.js';
import type { ProcessRole } from './process-role.js';
import { RestartPolicy } from './restart-policy.js';

/** One place of the cluster that is to be filled by a running process. */
export class Slot {
  readonly policy = new RestartPolicy();
  /** resolves when the slot holds a ready process for the first time, however many attempts that took */
  readonly firstReady: Promise<void>;
  markReady: () => void = () => {};
  current: ManagedProcess | undefined;
  /** the one that is to take over, during a rolling restart */
  successor: ManagedProcess | undefined;
  /** the one that was taken over from, until it is gone */
  retiring: ManagedProcess | undefined;
  retry: NodeJS.Timeout | undefined;

  constructor(
    readonly role: ProcessRole,
    readonly name: string,
  ) {
    this.firstReady = new Promise((resolve) => (this.markReady = resolve));
  }

  get isReady(): boolean {
    return this.current?.isReady ?? false;
  }

  get processes(): ManagedProcess[] {
    return [this.current, this.successor, this.retiring].filter((process) => process !== undefined);
  }
}
