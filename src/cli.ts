#!/usr/bin/env node
import { mapStacks } from './platform/processes/source-maps.js';
import { createProgram } from './cli/program.js';
import { runProgram } from './cli/run-program.js';

mapStacks();
await runProgram(() => createProgram(import.meta.dirname));
