"""The sandbox's other parties: they answer by documented triggers and people."""
