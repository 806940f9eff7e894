package sub

func helper() {}
