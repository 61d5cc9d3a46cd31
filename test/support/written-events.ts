/** Filter of the events that writes of a test publish, without those that hosts and jobs publish at any time. */
export const WRITTEN_EVENTS = { topic: { $nin: ['host.seen', 'stream.heartbeat', 'jobs.triggered'] } };
