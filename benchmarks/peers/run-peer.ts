/** Starts a peer in its own process (or cluster): `PEER_OPTIONS='<options as JSON>' node run-peer.js <name>`. */
import cluster from 'node:cluster';
import { startExpressPeer } from './express-peer.js';
import { startNodeHttpPeer } from './node-http.js';
import { OPTIMISED_STYLE, NAIVE_STYLE, type Peer, type PeerName, type PeerOptions } from './peer.js';
import { startRawDriverPeer } from './raw-driver.js';

const [, , name] = process.argv;
const options = JSON.parse(process.env.PEER_OPTIONS ?? '{}') as PeerOptions;

if (cluster.isPrimary && (options.workers ?? 1) > 1) {
  for (let worker = 0; worker < options.workers!; worker++) cluster.fork();
  process.once('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  });
} else {
  const peer = await startPeer(name as PeerName, options);
  process.once('SIGTERM', () => void peer.close().then(() => process.exit(0)));
}

function startPeer(peer: PeerName, peerOptions: PeerOptions): Promise<Peer> {
  switch (peer) {
    case 'node-http':
      return startNodeHttpPeer(peerOptions);
    case 'raw-driver':
      return startRawDriverPeer(peerOptions);
    case 'express-naive':
      return startExpressPeer({ style: NAIVE_STYLE, ...peerOptions });
    case 'express-optimised':
      return startExpressPeer({ style: OPTIMISED_STYLE, ...peerOptions });
  }
}
