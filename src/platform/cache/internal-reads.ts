import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { CodedError, type ErrorCode, type FieldError } from '../../common/errors.js';
import { INTERNAL_ADDRESS } from '../http/request-identity.js';
import type { CacheEntry } from './cache-entry.js';
import { ResponseCache } from './response-cache.js';

const entries = new WeakMap<ServerResponse, CacheEntry>();

type Problem = { code: ErrorCode; detail: string; fields?: FieldError[] };
/** `entry`: undefined if the route has no cache */
export type InternalResponse = { body: unknown; entry: CacheEntry | undefined };

/** Records the entry of an internal response. */
export function recordEntry(response: ServerResponse, entry: CacheEntry): void {
  entries.set(response, entry);
}

/** Reads resources of the API as a visitor reads them, within the process: with the same validation, visibility and cache. */
@Injectable()
export class InternalReads {
  constructor(
    private readonly cache: ResponseCache,
    private readonly adapters: HttpAdapterHost,
  ) {}

  /** @param url path and query @throws CodedError of the route */
  async get(url: string): Promise<InternalResponse> {
    const known = this.cache.findFresh(url);
    if (known !== undefined) return { body: JSON.parse(known.identity.body.toString()), entry: known };
    const fastify = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    const { statusCode, body, raw, headers } = await fastify.inject({ url, remoteAddress: INTERNAL_ADDRESS });
    if (statusCode === 200) return { body: JSON.parse(body), entry: entries.get(raw.res) };
    const { code, detail, fields } = JSON.parse(body) as Problem;
    const seconds = Number(headers['retry-after']);
    throw new CodedError(code, detail, { fields, ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}) });
  }
}
