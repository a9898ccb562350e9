"""The sandbox's other parties: they answer in the networks' letters, by documented triggers."""
