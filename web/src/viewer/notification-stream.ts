import type { NotificationEvent } from '../../../sdk/src/stream.js';
import { api } from '../client.js';

type Listener = (event: NotificationEvent) => void;
const listeners = new Set<Listener>();
let stream: AbortController | undefined;

/** Calls back for each event, while the page is visible. All listeners share one stream. @returns ends this */
export function watchNotifications(listener: Listener): () => void {
  listeners.add(listener);
  follow();
  return () => {
    listeners.delete(listener);
    follow();
  };
}

document.addEventListener('visibilitychange', follow);

function follow(): void {
  const isWanted = listeners.size > 0 && document.visibilityState === 'visible';
  if (isWanted === (stream !== undefined)) return;
  stream?.abort();
  stream = isWanted ? new AbortController() : undefined;
  if (stream !== undefined) read(stream.signal).catch(() => undefined);
}

async function read(signal: AbortSignal): Promise<void> {
  for await (const event of api.stream({ signal })) for (const listener of listeners) listener(event);
}
