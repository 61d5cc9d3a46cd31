#!/usr/bin/env node
import { createProgram } from './cli/program.js';
import { runProgram } from './cli/run-program.js';

await runProgram(() => createProgram(import.meta.dirname));
