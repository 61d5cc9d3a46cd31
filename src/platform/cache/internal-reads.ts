import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
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

const SOCKET = Object.defineProperty(new Socket(), 'remoteAddress', { value: INTERNAL_ADDRESS });

/** Keeps the response in memory. Fastify's own `inject` copies the body four times, which took a tenth of a page. */
class InternalServerResponse extends ServerResponse {
  body: unknown;
  /** alternating names and values */
  fields: readonly unknown[] = [];

  constructor(
    request: IncomingMessage,
    private readonly done: (response: InternalServerResponse) => void,
  ) {
    super(request);
  }

  override writeHead(...[status, headers]: unknown[]): this {
    if (Array.isArray(headers)) this.fields = headers;
    return super.writeHead(status as number);
  }

  override end(body?: unknown): this {
    this.body = body;
    this.finished = true;
    this.emit('finish');
    this.done(this);
    return this;
  }
}

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
    const response = await new Promise<InternalServerResponse>((resolve) => {
      const request = Object.assign(new IncomingMessage(SOCKET), { method: 'GET', url });
      fastify.routing(request, new InternalServerResponse(request, resolve));
    });
    const entry = entries.get(response);
    const body = String(entry?.identity.body ?? response.body);
    if (response.statusCode === 200) return { body: JSON.parse(body), entry };
    const { code, detail, fields } = JSON.parse(body) as Problem;
    const seconds = Number(response.fields[response.fields.indexOf('retry-after') + 1]);
    throw new CodedError(code, detail, { fields, ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}) });
  }
}
