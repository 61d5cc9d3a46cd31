export type ThreadData = { role: 'writer' | 'reader'; path: string };
export type ThreadCall = { id: number; method: string; args: unknown[] };
export type ThreadFailure = { name: string; message: string };
export type ThreadAnswer = { id: number; value: unknown } | { id: number; failure: ThreadFailure };
