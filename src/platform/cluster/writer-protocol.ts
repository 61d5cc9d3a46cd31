import type { PortableError } from '../../common/portable-error.js';

/** What an item or a result may be: it travels as JSON between the processes of a host. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined };

/** From a worker to the writer. */
export type ToWriter = {
  /** id, name of the group, item */
  items?: [number, string, Json][];
  /** the answer to the check of that number: every item sent on this connection is wanted but these */
  checked?: number;
  gone?: number[];
};

/** From the writer to a worker. */
export type FromWriter = {
  /** id, result; or id, null, the error that refuses the item */
  results?: [number, Json, PortableError?][];
  /** asks for `checked` with this number */
  check?: number;
  /** it is about to end: send new items to its successor */
  isDraining?: true;
};
