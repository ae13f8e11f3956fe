import { defineConfig } from 'vite';

export default defineConfig({
  // Addresses are relative, so that the console works under any prefix.
  base: './',
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    // What is inlined would need a looser content-security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // `use client` means nothing here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  // `npx vite dashboard` beside a running service, for who works on the console.
  server: { proxy: { '/v1': 'http://127.0.0.1:8080', '/docs': 'http://127.0.0.1:8080' } },
});
