/** The name of an event, a task or a hook of a transaction, with the type of its payload. Each module declares its own topics in `*.events.ts`. */
export type Topic<P> = { name: string; payload?: P };
