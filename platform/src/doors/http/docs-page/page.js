document.title = 'Sluice API';
