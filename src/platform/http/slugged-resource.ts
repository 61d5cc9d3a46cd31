import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { CodedError } from '../../common/errors.js';
import { versionedEtag } from './if-match.js';
import { IdParam } from './openapi/id-param.decorator.js';

const ID_OR_SLUG = /^(?:.*-)?([0-9a-f]{24})$/s;

/** The pattern of a path parameter in the document, with the slugs that exist; any other text before the id is accepted, too. */
export const SLUG_ADDRESS = { minLength: 24, maxLength: 105, pattern: '^([a-z0-9-]{1,80}-)?[0-9a-f]{24}$' };

/** The row version behind a response: for its ETag, not for its body, and so under a symbol that JSON omits. */
const VERSION = Symbol('version');
type Slugged = { slug: string };
export type Versioned<Body extends Slugged> = Body & { [VERSION]: number };

export function withVersion<Body extends Slugged>(body: Body, version: number): Versioned<Body> {
  return Object.assign(body, { [VERSION]: version });
}

/** `<version>-` is the prefix of every ETag of such a resource. */
export function etagPrefix(body: Versioned<Slugged>): string {
  return `${body[VERSION]}-`;
}

/** Resources at `<base>/<slug>-<id>`, where the slug is for people and only the id counts, edited under If-Match. */
export class SluggedResource {
  /** @param what the noun for messages, such as `a post` */
  constructor(
    private readonly base: string,
    private readonly what: string,
    private readonly example: string,
  ) {}

  /** The decorator of its path parameter. */
  param(name = 'idOrSlug'): ParameterDecorator {
    const { example } = this;
    const about = { name, description: '`<id>` or `<slug>-<id>`; the id alone decides', example };
    return IdParam({ ...about, ...SLUG_ADDRESS }, { transform: (value: unknown) => this.parse(value, name) });
  }

  pathOf({ slug }: Slugged): string {
    return `${this.base}/${slug}`;
  }

  /** All spellings of a URL share one cache entry. */
  readonly canonicalPath = (idOrSlug: string | undefined): string | null => {
    const id = idOf(idOrSlug);
    return id === null ? null : `${this.base}/${id}`;
  };

  /** The same for a sub-resource such as `/comments`. */
  readonly canonicalPathBelow = (idOrSlug: string | undefined, rest: string): string | null => {
    const path = this.canonicalPath(idOrSlug);
    return path === null ? null : path + rest;
  };

  /** The id in hex of an accepted URL. */
  readonly idIn = (idOrSlug: string | undefined): string => idOf(idOrSlug)!;

  /** The canonical location, for a response to a request with the id or an older slug. */
  readonly headersOf = (body: Slugged): Record<string, string> => {
    const path = this.pathOf(body);
    return { 'content-location': path, link: `<${path}>; rel="canonical"` };
  };

  /** The ETag of the current representation, for the next If-Match. */
  currentHeaders(body: Versioned<Slugged>): Record<string, string> {
    return { etag: versionedEtag(body[VERSION], body), 'content-location': this.pathOf(body) };
  }

  /** As above, with the Location that a 201 needs. */
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
