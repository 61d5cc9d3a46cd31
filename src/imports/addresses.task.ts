// The module of the CPU pool that finds addresses in Markdown. Only threads of the pool load this module.
import { addressesIn } from './find-addresses.js';

export function run({ markdown }: { markdown: string }): ReturnType<typeof addressesIn> {
  return addressesIn(markdown);
}
