import type { Server } from 'node:http';

/** The options of every peer, passed to its process as one JSON argument. */
export type PeerOptions = {
  port: number;
  mongoUri: string;
  database: string;
  /** the product's, so that one set of access tokens serves every subject */
  tokenSecret: string;
  /** rows of a page when the request names none; the product's default */
  defaultLimit: number;
  /** node-http: file with the captured responses */
  answersFile?: string;
  /** the Express peers: which techniques are on */
  style?: ExpressStyle;
  workers?: number;
};

/** The techniques of the journey, each on or off. */
export type ExpressStyle = {
  /** author copied into the document; otherwise populated */
  hasSnapshot: boolean;
  /** the stored preview; otherwise the whole body travels */
  hasPreview: boolean;
  isLean: boolean;
  /** keyset cursor; otherwise skip */
  hasKeyset: boolean;
  hasCache: boolean;
};

export const NAIVE_STYLE: ExpressStyle = {
  hasSnapshot: false,
  hasPreview: false,
  isLean: false,
  hasKeyset: false,
  hasCache: false,
};
export const OPTIMISED_STYLE: ExpressStyle = {
  hasSnapshot: true,
  hasPreview: true,
  isLean: true,
  hasKeyset: true,
  hasCache: true,
};

/** A peer that listens. */
export type Peer = { server: Server; close(): Promise<void> };

export type PeerName = 'node-http' | 'raw-driver' | 'express-naive' | 'express-optimised';

/** The peers' cursors: unsigned, otherwise like the product's: sort value and id of the last row. */
export function encodePeerCursor(value: number, id: string): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url');
}

export function decodePeerCursor(cursor: string): { value: number; id: string } {
  const [value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [number, string];
  return { value, id };
}

export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
