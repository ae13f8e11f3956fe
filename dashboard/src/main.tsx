import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { queryClient } from './api/query-client.ts';
import { App } from './App.tsx';
import { applyTheme } from './layout/theme.ts';
import { watchLeaving } from './leaving/leaving.ts';
import './styles/index.css';

applyTheme();
watchLeaving();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router hook={useHashLocation}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
