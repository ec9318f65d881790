import '@fontsource-variable/inter/wght.css';
import './base.css';
import '@mantine/core/styles/baseline.layer.css';
import 'virtual:theme.css';
import './ui/words.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api.ts';
import { router } from './routes.tsx';

const draw = () =>
  createRoot(document.querySelector('#root')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );

// Drawn once, when all of the page is there; a slow answer is waited for with the frame around it.
void Promise.race([router.load(), new Promise((resolve) => setTimeout(resolve, 1_000))]).then(draw);
