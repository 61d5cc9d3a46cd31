import type { Server } from 'node:http';

/** Options of every peer, passed to its process as JSON. */
export type PeerOptions = {
  port: number;
  mongoUri: string;
  database: string;
  /** Secret of the product, so that one set of access tokens serves every subject. */
  tokenSecret: string;
  /** Default rows of a page, as in the product. */
  defaultLimit: number;
  /** node-http: file with the captured responses. */
  answersFile?: string;
  /** Enabled techniques of the Express peers. */
  style?: ExpressStyle;
  workers?: number;
};

/** Techniques of the journey, each on or off. */
export type ExpressStyle = {
  /** Copies the author into the document instead of populating it. */
  hasSnapshot: boolean;
  /** Reads the stored preview instead of the whole body. */
  hasPreview: boolean;
  isLean: boolean;
  /** Uses a keyset cursor instead of skip. */
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

/** A listening peer. */
export type Peer = { server: Server; close(): Promise<void> };

export type PeerName = 'node-http' | 'raw-driver' | 'express-naive' | 'express-optimised';

/** Encodes sort value and id of the last row, like the product's cursor but unsigned. */
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
