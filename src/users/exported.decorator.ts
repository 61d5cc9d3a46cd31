import type { Readable } from 'node:stream';
import { SetMetadata } from '@nestjs/common';
import type { ObjectId } from 'mongodb';

/** A file of a folder in the export: text, or the bytes of a compressed file. */
export type ExportedFile = { name: string; content: readonly string[] | (() => Promise<Readable>) };
type Exported<T> = <Method extends (userId: ObjectId) => T>(
  target: object,
  key: string,
  method: TypedPropertyDescriptor<Method>,
) => void;

export const EXPORTED = Symbol('exported');

/** Adds the result of a method to the export of an account: JSON, lines (rows become JSON), or the files of a folder. */
export function Exported(name: `${string}.json`): Exported<Promise<object>>;
export function Exported(name: `${string}.${'jsonl' | 'csv' | 'toml'}`): Exported<AsyncIterable<object | string>>;
export function Exported(folder: `${string}/`): Exported<AsyncIterable<ExportedFile>>;
export function Exported(name: string): MethodDecorator {
  return SetMetadata(EXPORTED, name);
}
