/** Name of an event or a task, and in its type what it says. Each room declares its own in `*.events.ts`. */
export type Topic<P> = { name: string; payload?: P };
