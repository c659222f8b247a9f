"""The benchmark that turns a device into a DeviceProfile."""
