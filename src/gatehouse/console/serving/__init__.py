"""The console as a process: its server, cookies and guards."""
