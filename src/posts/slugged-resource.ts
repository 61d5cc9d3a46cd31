import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { versionedEtag } from '../platform/http/if-match.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';

const ID_OR_SLUG = /^(?:.*-)?([0-9a-f]{24})$/s;

/** The documented pattern of the path parameter. The server accepts any text before the id. */
export const SLUG_ADDRESS = { minLength: 24, maxLength: 105, pattern: '^([a-z0-9-]{1,80}-)?[0-9a-f]{24}$' };

/** The row version of a response, which its ETag contains. A symbol, so that JSON omits it. */
const VERSION = Symbol('version');
type Slugged = { slug: string };
export type Versioned<Body extends Slugged> = Body & { [VERSION]: number };

export function withVersion<Body extends Slugged>(body: Body, version: number): Versioned<Body> {
  return Object.assign(body, { [VERSION]: version });
}

/** Returns the ETag prefix `<version>-`. */
export function etagPrefix(body: Versioned<Slugged>): string {
  return `${body[VERSION]}-`;
}

/** A resource at `<base>/<slug>-<id>` that supports If-Match. Only the id identifies it; the slug makes the URL readable. */
export class SluggedResource {
  /** @param what the noun for error messages, such as `a post` */
  constructor(
    private readonly base: string,
    private readonly what: string,
    private readonly example: string,
  ) {}

  /** Returns the decorator of the path parameter. */
  param(name = 'idOrSlug'): ParameterDecorator {
    const { example } = this;
    const about = { name, description: '`<id>` or `<slug>-<id>`; the id alone decides', example };
    return IdParam({ ...about, ...SLUG_ADDRESS }, { transform: (value: unknown) => this.parse(value, name) });
  }

  pathOf({ slug }: Slugged): string {
    return `${this.base}/${slug}`;
  }

  /** Returns the path with the id only, so that all slugs share a cache entry. Returns null if the parameter is invalid. */
  readonly canonicalPath = (idOrSlug: string | undefined): string | null => {
    const id = idOf(idOrSlug);
    return id === null ? null : `${this.base}/${id}`;
  };

  /** As `canonicalPath`, for a sub-resource such as `/comments`. */
  readonly canonicalPathBelow = (idOrSlug: string | undefined, rest: string): string | null => {
    const path = this.canonicalPath(idOrSlug);
    return path === null ? null : path + rest;
  };

  /** Returns the hex id of a valid parameter. */
  readonly idIn = (idOrSlug: string | undefined): string => idOf(idOrSlug)!;

  /** Returns Content-Location and the canonical Link, for requests with the id only or an older slug. */
  readonly headersOf = (body: Slugged): Record<string, string> => {
    const path = this.pathOf(body);
    return { 'content-location': path, link: `<${path}>; rel="canonical"` };
  };

  /** Returns the ETag of the current representation, for the next If-Match, and its location. */
  currentHeaders(body: Versioned<Slugged>): Record<string, string> {
    return { etag: versionedEtag(body[VERSION], body), 'content-location': this.pathOf(body) };
  }

  /** As `currentHeaders`, with the Location of a 201. */
  createdHeaders(body: Versioned<Slugged>): Record<string, string> {
    return { location: this.pathOf(body), ...this.currentHeaders(body) };
  }

  sendCreated<Body extends Versioned<Slugged>>(reply: FastifyReply, body: Body): Body {
    void reply.headers(this.createdHeaders(body));
    return body;
  }

  sendCurrent<Body extends Versioned<Slugged>>(reply: FastifyReply, body: Body): Body {
    void reply.headers(this.currentHeaders(body));
    return body;
  }

  private parse(value: unknown, field: string): ObjectId {
    const id = idOf(value);
    if (id !== null) return ObjectId.createFromHexString(id);
    throw new CodedError(
      'invalid_id',
      `The address of ${this.what} is its id (24 hex digits in lower case), or <slug>-<id>.`,
      {
        fields: [{ field, message: 'must end in 24 hex digits in lower case' }],
      },
    );
  }
}

function idOf(idOrSlug: unknown): string | null {
  return typeof idOrSlug === 'string' ? (ID_OR_SLUG.exec(idOrSlug)?.[1] ?? null) : null;
}
