import { h, render } from 'preact';
import { FRAMES } from './frames.js';

const frame = document.getElementById('frame');
const load = FRAMES[location.pathname];
if (frame !== null && load !== undefined) render(h(await load(), null), frame);
